// A worker that executes runs of a program together with others.
import { Instance } from './program.mjs';

let instance, last;

async function open({ module, hloText, weights, index, count }) {
  instance = await Instance.open(module, hloText, weights);
  last = weights.length;
  instance.plan.divide(index, count);
  postMessage('ready');
}

function advance(isWaiting) {
  if (!isWaiting) return;
  const part = instance.part();
  postMessage(part, [part.buffer]);
}

onmessage = ({ data }) => {
  // Only an uncaught error reaches the other worker, not a rejected promise.
  if (data.open) open(data.open).catch((error) => setTimeout(() => { throw error; }));
  else if (data.run) {
    instance.write(last, data.run);
    advance(instance.run());
  } else advance(instance.resume(data.parts));
};
