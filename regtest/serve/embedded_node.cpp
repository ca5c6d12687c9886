#include "regtest/serve/embedded_node.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <future>
#include <thread>

#include "regtest/serve/regtest_server.h"

namespace petal::regtest {

class EmbeddedNode::State {
public:
    State(const ServerOptions& options, RegtestChain chain)
        : chain_(std::move(chain)),
          server_(io_, chain_, options),
          port_(server_.port()),
          host_(options.host),
          thread_([this] { io_.run(); }) {}

    ~State() {
        asio::post(io_, [this] {
            server_.stop_listening();
            if (http_) http_->stop();
        });
        work_.reset();
        thread_.join();
    }

    std::uint16_t port() const { return port_; }
    const std::string& host() const { return host_; }

    /// Runs `task` on the node's thread, waits for it, and rethrows its exception.
    void run(const std::function<void(RegtestServer&, RegtestChain&)>& task) {
        // Shared, because set_value() may still use the promise when the waiting thread continues.
        const auto done = std::make_shared<std::promise<void>>();
        asio::post(io_, [this, &task, done] {
            try {
                task(server_, chain_);
                done->set_value();
            } catch (...) {
                done->set_exception(std::current_exception());
            }
        });
        done->get_future().get();
    }

    /// Called on the node's thread.
    std::uint16_t serve_http(const HttpOptions& options, HttpTask answer) {
        const auto handle = [this, answer = std::move(answer)](const HttpRequest& request) {
            HttpAnswer answered = answer(chain_, server_, request);
            server_.notify_chain_changed();
            return answered;
        };
        http_ = std::make_unique<HttpServer>(io_, options, handle);
        return http_->port();
    }

private:
    asio::io_context io_{1};
    // Keeps the thread running while the node does not listen.
    asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
    RegtestChain chain_;
    RegtestServer server_;
    std::unique_ptr<HttpServer> http_;
    std::uint16_t port_;
    std::string host_;
    std::thread thread_;
};

EmbeddedNode::EmbeddedNode(const ServerOptions& options, RegtestChain chain)
    : state_(std::make_unique<State>(options, std::move(chain))) {}

EmbeddedNode::~EmbeddedNode() = default;

std::uint16_t EmbeddedNode::port() const {
    return state_->port();
}

net::Endpoint EmbeddedNode::endpoint() const {
    return {state_->host(), port()};
}

void EmbeddedNode::run_with_chain(const std::function<void(RegtestChain&)>& task) {
    state_->run([&task](RegtestServer& server, RegtestChain& chain) {
        task(chain);
        server.notify_chain_changed();
    });
}

std::uint16_t EmbeddedNode::serve_http(const HttpOptions& options, HttpTask answer) {
    std::uint16_t port = 0;
    state_->run([&](RegtestServer&, RegtestChain&) {
        port = state_->serve_http(options, std::move(answer));
    });
    return port;
}

void EmbeddedNode::run(const std::function<void(RegtestChain&, NodePeers&)>& task) {
    state_->run([&task](RegtestServer& server, RegtestChain& chain) {
        task(chain, server);
        server.notify_chain_changed();
    });
}

void EmbeddedNode::set_behaviour(NodeBehaviour behaviour) {
    state_->run([&behaviour](RegtestServer& server, RegtestChain&) {
        server.set_behaviour(std::move(behaviour));
    });
}

void EmbeddedNode::stop_listening() {
    state_->run([](RegtestServer& server, RegtestChain&) { server.stop_listening(); });
}

void EmbeddedNode::resume_listening() {
    state_->run([](RegtestServer& server, RegtestChain&) { server.resume_listening(); });
}

std::size_t EmbeddedNode::connection_count() {
    std::size_t count = 0;
    state_->run([&](RegtestServer& server, RegtestChain&) { count = server.connection_count(); });
    return count;
}

std::uint64_t EmbeddedNode::accepted_count() {
    std::uint64_t count = 0;
    state_->run([&](RegtestServer& server, RegtestChain&) { count = server.accepted_count(); });
    return count;
}

}  // namespace petal::regtest
