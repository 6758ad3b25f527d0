// Runs one command and prints what it cost, as JSON on the last line of stderr: wall time from exec to exit, processor
// time, peak memory. A program of its own, because the peak of a child counts the memory of the process that forks it.
#include <cstdio>
#include <ctime>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const double start = now();
  const pid_t child = fork();
  if (child == 0) {
    execv(argv[1], argv + 1);
    std::perror(argv[1]);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child) return 1;
  const double end = now();
  std::fprintf(stderr, "{\"wall\":%.6f,\"user\":%.6f,\"system\":%.6f,\"peak_kib\":%ld,\"ended_at\":%.6f}\n",
               end - start, seconds(usage.ru_utime), seconds(usage.ru_stime), usage.ru_maxrss, end);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
