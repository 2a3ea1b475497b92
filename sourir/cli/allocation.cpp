// What jemalloc reads at the start (SOURIR_JEMALLOC in CMakeLists.txt; nobody does without it).
// Each pass makes a program as large as the one that the last pass left: to hand memory back to the
// system in between costs more time than the passes do.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "dirty_decay_ms:-1";
}
