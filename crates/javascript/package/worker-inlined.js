// The worker of the single file, in browsers and Node.js.

import { serve } from './serve.js';

const port = typeof self === 'object' && typeof self.postMessage === 'function'
  ? self
  : globalThis.process.getBuiltinModule('node:worker_threads').parentPort;

serve(
  (listener) => (port === globalThis ? (self.onmessage = ({ data }) => listener(data)) : port.on('message', listener)),
  (message, transfer) => port.postMessage(message, transfer),
);
