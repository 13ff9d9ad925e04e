// Memory of the service, measured by the memory rows of tools/bench/peers.mjs.
import { setFlagsFromString } from 'node:v8';

// By default, V8 lets the heap of a process grow to four times its live data before it collects garbage. Caches with bounds in bytes
// hold most live data here. Twice: with less, collections take a fifth of the time of distinct calls. The flag applies to all threads.
setFlagsFromString('--heap-growing-percent=100');

// The option of the command line is for the thread of the requests, which has its heap by now. It would also replace the limit of the
// call workers, whose garbage then takes half of their memory.
setFlagsFromString('--max-semi-space-size=2');
