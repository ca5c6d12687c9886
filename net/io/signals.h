/// Signals that stop the process.
#pragma once

namespace petal::net {

/// Whether the process ignores the signal. Syncs and commands leave SIGHUP ignored if it was
/// ignored at the start, so that nohup works. SIGINT is handled even if it was ignored: shells
/// start background commands of scripts with SIGINT ignored, and `kill -INT` must stop them.
bool is_ignored(int signal);

/// Watches the handlers of SIGINT, SIGTERM and SIGHUP that are set at construction, and still calls
/// them. A handler ends a run at its next step, which a blocked thread never reaches. Therefore a
/// signal at least one second after the first one ends the process. An earlier signal may be a
/// duplicate: timeout(1) signals the process and its process group. Other handlers of these signals
/// may be set only while no watch exists.
class StopSignalWatch {
public:
    StopSignalWatch();
    ~StopSignalWatch();
    StopSignalWatch(const StopSignalWatch&) = delete;
    StopSignalWatch& operator=(const StopSignalWatch&) = delete;
};

/// Whether a watched signal arrived since the first of the current watches was made. Without a
/// current watch, the earlier watches count.
bool is_stop_requested();
/// Acts like a watched signal, without calling the handler.
void request_stop();

}  // namespace petal::net
