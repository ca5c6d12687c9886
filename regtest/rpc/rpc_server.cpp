#include "regtest/rpc/rpc_server.h"

#include <exception>
#include <optional>
#include <utility>

#include "regtest/rpc/json_text.h"

namespace petal::regtest::rpc {
namespace {

constexpr std::size_t kMaxBatch = 10'000;

/// The HTTP status of an error in JSON-RPC 1.0.
unsigned http_status_of(RpcCode code) {
    if (code == RpcCode::invalid_request) return 400;
    return code == RpcCode::method_not_found ? 404 : 500;
}

/// A request and its answer.
class Exchange {
public:
    explicit Exchange(const Json& request) : request_(request) {}

    /// The answer. Empty for a notification.
    std::optional<Json> run(const RpcCall& call) {
        Json result;
        try {
            read();
            result = call(method_, arguments_);
        } catch (const RpcError& error) {
            code_ = error.code();
            return answer(nullptr, error_of(error.code(), error.what()));
        } catch (const std::exception& error) {  // checks of the chain, and unexpected errors
            code_ = RpcCode::misc;
            return answer(nullptr, error_of(RpcCode::misc, error.what()));
        }
        return answer(std::move(result), nullptr);
    }

    unsigned status() const { return code_ && !is_version_2_ ? http_status_of(*code_) : 200; }

    static Json error_of(RpcCode code, std::string_view message) {
        return {{"code", static_cast<int>(code)}, {"message", message}};
    }

private:
    static RpcError wrong(const std::string& message) {
        return {RpcCode::invalid_request, message};
    }

    void read() {
        if (!request_.is_object()) throw wrong("Invalid Request object");
        const auto id = request_.find("id");
        has_id_ = id != request_.end();
        if (has_id_) id_ = *id;
        read_version();
        const auto method = request_.find("method");
        if (method == request_.end() || method->is_null()) throw wrong("Missing method");
        if (!method->is_string()) throw wrong("Method must be a string");
        method_ = method->get<std::string>();
        const auto arguments = request_.find("params");
        if (arguments == request_.end() || arguments->is_null()) return;
        if (!arguments->is_structured()) throw wrong("Params must be an array or object");
        arguments_ = *arguments;
    }

    void read_version() {
        const auto version = request_.find("jsonrpc");
        if (version == request_.end() || version->is_null()) return;
        if (!version->is_string()) throw wrong("jsonrpc field must be a string");
        is_version_2_ = *version == "2.0";
        if (!is_version_2_ && *version != "1.0") throw wrong("JSON-RPC version not supported");
    }

    std::optional<Json> answer(Json result, Json error) const {
        if (!is_version_2_) {
            Json json = {{"result", std::move(result)}, {"error", std::move(error)}};
            if (has_id_) json["id"] = id_;
            return json;
        }
        if (!has_id_) return std::nullopt;
        Json json = {{"jsonrpc", "2.0"}};
        if (error.is_null()) {
            json["result"] = std::move(result);
        } else {
            json["error"] = std::move(error);
        }
        json["id"] = id_;
        return json;
    }

    const Json& request_;
    bool is_version_2_ = false;
    bool has_id_ = true;  // an invalid request has a null id
    Json id_;
    std::string method_;
    Json arguments_ = Json::array();
    std::optional<RpcCode> code_;
};

std::string to_body(const Json& json) {
    return to_text(json) + "\n";
}

Json refuse_further(const std::string& /*method*/, const Json& /*arguments*/) {
    throw RpcError(RpcCode::misc, "not run: the answers before it in the batch are too large");
}

RpcAnswer answer_batch(const Json& batch, const RpcCall& call, std::size_t max_bytes) {
    if (batch.size() > kMaxBatch) {
        throw RpcError(RpcCode::invalid_request, "at most 10,000 requests in a batch");
    }
    std::string answers;
    for (const Json& request : batch) {
        const bool is_full = answers.size() > max_bytes;
        const auto answer = Exchange(request).run(is_full ? refuse_further : call);
        if (!answer) continue;
        if (!answers.empty()) answers += ',';
        answers += to_text(*answer);
    }
    if (answers.empty() && !batch.empty()) return {204, ""};
    return {200, "[" + answers + "]\n"};
}

}  // namespace

RpcAnswer answer_rpc(std::string_view body, const RpcCall& call, std::size_t max_batch_bytes) {
    try {
        const auto request = parse_request(body);
        if (!request) throw RpcError(RpcCode::parse_error, "Parse error");
        if (request->is_array()) return answer_batch(*request, call, max_batch_bytes);
        if (!request->is_object()) {
            throw RpcError(RpcCode::parse_error, "Top-level object parse error");
        }
        Exchange exchange(*request);
        const auto answer = exchange.run(call);
        if (!answer) return {204, ""};
        return {exchange.status(), to_body(*answer)};
    } catch (const RpcError& error) {
        return {http_status_of(error.code()),
                to_body({{"result", nullptr},
                         {"error", Exchange::error_of(error.code(), error.what())},
                         {"id", nullptr}})};
    }
}

}  // namespace petal::regtest::rpc
