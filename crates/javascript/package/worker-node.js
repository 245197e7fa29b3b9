// The thread of Node.js.

import { parentPort } from 'node:worker_threads';

import { serve } from './serve.js';

serve((listener) => parentPort.on('message', listener), (message, transfer) => parentPort.postMessage(message, transfer));
