// The message ports of workers, with one interface for browsers and Node.js.

/** The port of a browser's `Worker`. */
export function browserPort(worker) {
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    listen(onMessage, onError) {
      worker.onmessage = ({ data }) => onMessage(data);
      worker.onmessageerror = () => onError('a message could not be read');
      worker.onerror = (event) => {
        event.preventDefault?.();
        onError(event.message || 'the script of the worker could not be loaded');
      };
    },
    terminate: () => worker.terminate(),
    hold() {},
    release() {},
  };
}

/** The port of a thread of Node.js; an idle one does not keep the process running. */
export function nodePort(worker) {
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    listen(onMessage, onError) {
      worker.removeAllListeners();
      worker.on('message', onMessage);
      worker.on('error', (error) => onError(String(error?.message ?? error)));
    },
    terminate: () => void worker.terminate(),
    hold: () => worker.ref(),
    release: () => worker.unref(),
  };
}
