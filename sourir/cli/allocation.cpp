// The settings that jemalloc reads at the start (SOURIR_JEMALLOC in CMakeLists.txt; without effect
// in other builds). Each pass makes a program as large as the one before it: returning memory to
// the system between passes would cost more time than the passes do.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "dirty_decay_ms:-1";
}
