/// Signals of the process.
#pragma once

namespace petal::net {

/// Whether the process ignores the signal. Syncs and commands leave SIGHUP ignored if it was at the
/// start, so that nohup works. They handle SIGINT nonetheless: shells start what a script runs in
/// the background with SIGINT ignored, and `kill -INT` is meant for it.
bool is_ignored(int signal);

/// Watches the handlers of SIGINT, SIGTERM and SIGHUP that are set when it is made, and still calls
/// them: they end a run at its next step, which a thread that is blocked never reaches. During its
/// lifetime, a signal that comes a second or more after the first one ends the process. One that
/// comes earlier may be the same: timeout(1) sends its signal to the process and to its group.
/// Other handlers of these signals may be set only while no watch lives.
class StopSignalWatch {
public:
    StopSignalWatch();
    ~StopSignalWatch();
    StopSignalWatch(const StopSignalWatch&) = delete;
    StopSignalWatch& operator=(const StopSignalWatch&) = delete;
};

/// Whether a watched signal has come since the first of the present watches was made, or the last
/// one if there is none.
bool is_stop_requested();
/// Acts as if a watched signal had come; its handler is not called.
void request_stop();

}  // namespace petal::net
