"""JSON-RPC over one persistent connection."""

import base64
import http.client
import json
import pathlib
import socket


def free_ports(count):
    """Different ports of 127.0.0.1 for a node's options; another program may bind them first."""
    taken = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [listener.getsockname()[1] for listener in taken]
    for listener in taken:
        listener.close()
    return ports


class RpcError(Exception):
    def __init__(self, error):
        super().__init__(f"{error['code']}: {error['message']}")
        self.code = error["code"]


class RpcClient:
    """Calls the methods of a node on 127.0.0.1 as its own methods: client.getblockcount()."""

    def __init__(self, port, credentials, path="/"):
        self._path = path
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        token = base64.b64encode(credentials.encode()).decode()
        self._headers = {"Authorization": "Basic " + token, "Content-Type": "application/json"}

    def post(self, body, **headers):
        """The status and the text of the response to a request."""
        headers = {**self._headers, **headers}
        try:
            self._connection.request("POST", self._path, body, headers)
            response = self._connection.getresponse()
        except ConnectionError:  # the node closes a connection without requests
            self._connection.close()
            self._connection.request("POST", self._path, body, headers)
            response = self._connection.getresponse()
        return response.status, response.read().decode()

    def call(self, method, *arguments):
        body = json.dumps({"method": method, "params": arguments, "id": 1})
        _, text = self.post(body)
        answer = json.loads(text)
        if answer["error"]:
            raise RpcError(answer["error"])
        return answer["result"]

    def __getattr__(self, method):
        return lambda *arguments: self.call(method, *arguments)

    def close(self):
        self._connection.close()


def client_of(listening):
    """A client of a regtest node with a cookie, by the event that the node printed first."""
    cookie = pathlib.Path(listening["rpc_cookie_file"]).read_text(encoding="ascii")
    return RpcClient(listening["rpc_port"], cookie)


def reorganise(rpc, address, depth):
    """Replaces the last `depth` blocks of a node by one more, empty ones. Returns the new tip."""
    rpc.invalidateblock(rpc.getblockhash(rpc.getblockcount() - depth + 1))
    for _ in range(depth + 1):
        tip = rpc.generateblock(address, [])["hash"]
    return tip
