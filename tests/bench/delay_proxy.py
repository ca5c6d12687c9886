#!/usr/bin/env python3
"""Adds latency: forwards TCP connections to a port of this machine, and delays all of their bytes.

In each direction, every byte is delayed by this time, whatever the throughput. Prints its address as one line of JSON,
and ends with its standard input.

usage: delay_proxy.py HOST:PORT MILLISECONDS
"""

import asyncio
import contextlib
import json
import sys

READ_BYTES = 256 << 10
CHUNKS_ON_THE_WAY = 128  # then no more are read until some arrive


async def carry(reader, writer, delay):
    loop = asyncio.get_running_loop()
    on_the_way = asyncio.Queue(CHUNKS_ON_THE_WAY)

    async def deliver():
        while True:
            due, data = await on_the_way.get()
            await asyncio.sleep(due - loop.time())
            if not data:
                return writer.write_eof()
            writer.write(data)
            await writer.drain()

    delivery = asyncio.create_task(deliver())
    with contextlib.suppress(OSError):
        while data := await reader.read(READ_BYTES):
            await on_the_way.put((loop.time() + delay, data))
    await on_the_way.put((loop.time() + delay, b""))
    with contextlib.suppress(OSError):
        await delivery


async def run(host, port, delay):
    async def serve(reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_connection(host, port)
        except OSError as error:
            print(f"error: {error}", file=sys.stderr)
        else:
            await asyncio.gather(carry(reader, far_writer, delay), carry(far_reader, writer, delay))
            far_writer.close()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=READ_BYTES)
    print(json.dumps({"endpoint": "127.0.0.1:%d" % server.sockets[0].getsockname()[1]}), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    host, _, port = sys.argv[1].rpartition(":")
    asyncio.run(run(host, int(port), int(sys.argv[2]) / 1_000))
