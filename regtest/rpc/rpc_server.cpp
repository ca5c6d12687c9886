#include "regtest/rpc/rpc_server.h"

#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "regtest/rpc/json_text.h"
#include "regtest/rpc/rpc_wait.h"

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
    /// The answer. Empty for a notification. Throws RpcWait.
    std::optional<Json> run(const Json& request, const RpcCall& call) {
        return answer_with([&] {
            read(request);
            return call(method_, arguments_);
        });
    }

    /// The answer to a request for which run() threw RpcWait. Empty for a notification.
    /// result   may throw like an RpcCall
    template <typename Result>
    std::optional<Json> answer_with(Result result) {
        Json value;
        try {
            value = result();
        } catch (const RpcError& error) {
            code_ = error.code();
            return answer(nullptr, error_of(error.code(), error.what()));
        } catch (const std::exception& error) {  // checks of the chain, and unexpected errors
            code_ = RpcCode::misc;
            return answer(nullptr, error_of(RpcCode::misc, error.what()));
        }
        return answer(std::move(value), nullptr);
    }

    unsigned status() const { return code_ && !is_version_2_ ? http_status_of(*code_) : 200; }

    static Json error_of(RpcCode code, std::string_view message) {
        return {{"code", static_cast<int>(code)}, {"message", message}};
    }

private:
    static RpcError wrong(const std::string& message) {
        return {RpcCode::invalid_request, message};
    }

    void read(const Json& request) {
        if (!request.is_object()) throw wrong("Invalid Request object");
        const auto id = request.find("id");
        has_id_ = id != request.end();
        if (has_id_) id_ = *id;
        read_version(request);
        const auto method = request.find("method");
        if (method == request.end() || method->is_null()) throw wrong("Missing method");
        if (!method->is_string()) throw wrong("Method must be a string");
        method_ = method->get<std::string>();
        const auto arguments = request.find("params");
        if (arguments == request.end() || arguments->is_null()) return;
        if (!arguments->is_structured()) throw wrong("Params must be an array or object");
        arguments_ = *arguments;
    }

    void read_version(const Json& request) {
        const auto version = request.find("jsonrpc");
        if (version == request.end() || version->is_null()) return;
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

RpcAnswer to_answer(const Exchange& exchange, const std::optional<Json>& answer) {
    if (!answer) return {204, ""};
    return {exchange.status(), to_body(*answer)};
}

/// A request whose result comes later.
struct Pending {
    Exchange exchange;
    RpcWait::Poll poll;

    /// Whether the result is there. If so, `answer` is the answer, which is empty for a
    /// notification.
    bool is_answered(std::chrono::milliseconds waited, std::optional<Json>& answer) {
        bool is_there = true;
        answer = exchange.answer_with([&]() -> Json {
            auto result = poll(waited);
            is_there = result.has_value();
            return is_there ? *std::move(result) : Json();
        });
        return is_there;
    }
};

RpcAnswer answer_later(Pending pending) {
    RpcAnswer answer;
    answer.later = [pending = std::move(pending)](std::chrono::milliseconds waited) mutable {
        std::optional<Json> json;
        const bool is_answered = pending.is_answered(waited, json);
        return is_answered ? std::optional(to_answer(pending.exchange, json)) : std::nullopt;
    };
    return answer;
}

/// The requests of a batch, which run one after another.
class Batch {
public:
    Batch(Json requests, RpcCall call, std::size_t max_bytes)
        : requests_(std::move(requests)), call_(std::move(call)), max_bytes_(max_bytes) {}

    /// Runs requests until one waits. Returns the answer to the batch once all are answered.
    /// waited   the time since the batch arrived
    std::optional<RpcAnswer> advance(std::chrono::milliseconds waited) {
        for (; next_ < requests_.size(); ++next_) {
            std::optional<Json> answer;
            const bool is_answered = pending_ ? pending_->is_answered(waited - since_, answer)
                                              : run_next(waited, answer);
            if (!is_answered) return std::nullopt;
            pending_.reset();
            if (!answer) continue;
            if (!answers_.empty()) answers_ += ',';
            answers_ += to_text(*answer);
        }
        if (answers_.empty() && !requests_.empty()) return RpcAnswer{204, ""};
        return RpcAnswer{200, "[" + answers_ + "]\n"};
    }

private:
    /// Returns whether the result is there.
    bool run_next(std::chrono::milliseconds waited, std::optional<Json>& answer) {
        const bool is_full = answers_.size() > max_bytes_;
        Exchange exchange;
        try {
            answer = exchange.run(requests_[next_], is_full ? RpcCall(refuse_further) : call_);
            return true;
        } catch (const RpcWait& wait) {
            pending_.emplace(Pending{exchange, wait.poll()});
            since_ = waited;
            return false;
        }
    }

    Json requests_;
    RpcCall call_;
    std::size_t max_bytes_;
    std::size_t next_ = 0;
    std::string answers_;
    std::optional<Pending> pending_;      // the request `next_`
    std::chrono::milliseconds since_{0};  // when it was run
};

RpcAnswer answer_batch(Json requests, const RpcCall& call, std::size_t max_bytes) {
    if (requests.size() > kMaxBatch) {
        throw RpcError(RpcCode::invalid_request, "at most 10,000 requests in a batch");
    }
    const auto batch = std::make_shared<Batch>(std::move(requests), call, max_bytes);
    if (auto answered = batch->advance(std::chrono::milliseconds{0})) return *std::move(answered);
    RpcAnswer answer;
    answer.later = [batch](std::chrono::milliseconds waited) { return batch->advance(waited); };
    return answer;
}

}  // namespace

RpcAnswer answer_rpc(std::string_view body, const RpcCall& call, std::size_t max_batch_bytes) {
    try {
        auto request = parse_request(body);
        if (!request) throw RpcError(RpcCode::parse_error, "Parse error");
        if (request->is_array()) return answer_batch(*std::move(request), call, max_batch_bytes);
        if (!request->is_object()) {
            throw RpcError(RpcCode::parse_error, "Top-level object parse error");
        }
        Exchange exchange;
        try {
            const auto answer = exchange.run(*request, call);
            return to_answer(exchange, answer);
        } catch (const RpcWait& wait) {
            return answer_later({exchange, wait.poll()});
        }
    } catch (const RpcError& error) {
        return {http_status_of(error.code()),
                to_body({{"result", nullptr},
                         {"error", Exchange::error_of(error.code(), error.what())},
                         {"id", nullptr}})};
    }
}

}  // namespace petal::regtest::rpc
