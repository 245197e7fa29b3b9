// Runs of the module of plans: one instance, or one in each of several workers, which execute a run together.

const UNLIMITED = 2 ** 52, EXCHANGE = 5;

/// An instance with a program and its weights: all arguments but the last, which are constant.
export class Instance {
  static async open(module, hloText, weights) {
    const instance = new this(), text = new TextEncoder().encode(hloText);
    instance.plan = (await WebAssembly.instantiate(module, { env: { progress: () => 1 } })).exports;
    instance.#reserve(text.length).set(text);
    if (instance.plan.compile(weights.length, 0)) throw new Error('the program has errors, or no plan');
    weights.forEach((weight, number) => instance.write(number, weight));
    return instance;
  }

  #bytes(address, length) {
    return new Uint8Array(this.plan.memory.buffer, address >>> 0, length);
  }

  #reserve(length) {
    return this.#bytes(this.plan.reserve(length), length);
  }

  /// Writes the typed array of an argument.
  write(number, { buffer, byteOffset, byteLength }) {
    const address = this.plan.argument(number);
    if (!address || this.plan.argument_bytes(number) !== byteLength)
      throw new Error(`argument ${number} has another size, or no memory`);
    this.#bytes(address, byteLength).set(new Uint8Array(buffer, byteOffset, byteLength));
  }

  /// Starts a run; returns whether it waits for the parts of other workers.
  run() {
    return this.#isWaiting(this.plan.run(UNLIMITED, UNLIMITED));
  }

  /// Resumes a run with the parts of the other workers, in the order of their indices.
  resume(parts) {
    const input = this.#reserve(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      input.set(part, at);
      at += part.length;
    }
    return this.#isWaiting(this.plan.resume());
  }

  /// Starts the waiting run again, without other workers.
  resumeAlone() {
    return this.#isWaiting(this.plan.resume_alone());
  }

  #isWaiting(status) {
    if (status && status !== EXCHANGE) throw new Error(`the run failed (status ${status})`);
    return status === EXCHANGE;
  }

  /// A copy of this worker's part.
  part() {
    return this.#bytes(this.plan.part(), this.plan.part_bytes()).slice();
  }

  result() {
    return new Float32Array(this.plan.memory.buffer, this.plan.array(0, 0) >>> 0, this.plan.array_bytes(0, 0) / 4).slice();
  }
}

/// Another worker, with an instance of its own.
class Peer {
  #worker = new Worker(new URL('./program-worker.mjs', import.meta.url), { type: 'module' });
  #parts = [];
  #waiting = [];
  #error;

  constructor() {
    this.#worker.onmessage = ({ data }) => (this.#waiting.shift()?.resolve ?? ((part) => this.#parts.push(part)))(data);
    this.#worker.onerror = (event) => this.#fail(new Error(event.message || 'the worker could not be started'));
    this.#worker.onmessageerror = () => this.#fail(new Error('a message was lost'));
  }

  #fail(error) {
    this.#error = error;
    this.#waiting.splice(0).forEach(({ reject }) => reject(error));
  }

  send(message, transfer = []) {
    this.#worker.postMessage(message, transfer);
  }

  /// The next part.
  next() {
    if (this.#parts.length) return Promise.resolve(this.#parts.shift());
    if (this.#error) return Promise.reject(this.#error);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  dispose() {
    this.#worker.terminate();
  }
}

/// A program in `workers` workers, of which this one is the first.
export async function openProgram(module, hloText, weights, workers) {
  const own = await Instance.open(module, hloText, weights);
  let peers = workers > 1 && own.plan.divide(0, workers) > 0 ? Array.from({ length: workers - 1 }, () => new Peer()) : [];
  const dropPeers = () => {
    peers.forEach((peer) => peer.dispose());
    peers = [];
  };
  peers.forEach((peer, i) => {
    const copies = weights.map((weight) => weight.slice());
    const open = { module, hloText, weights: copies, index: i + 1, count: workers };
    peer.send({ open }, copies.map(({ buffer }) => buffer));
  });
  // Each says when it is ready.
  await Promise.all(peers.map((peer) => peer.next())).catch(() => (dropPeers(), own.plan.divide(0, 1)));
  /// Sends the own part to the others, and receives theirs.
  const exchange = async () => {
    const part = own.part();
    if (peers.length === 1) {
      peers[0].send({ parts: [part] }, [part.buffer]);
      return [await peers[0].next()];
    }
    const parts = await Promise.all(peers.map((peer) => peer.next()));
    peers.forEach((peer, i) => peer.send({ parts: [part, ...parts.filter((_, j) => j !== i)] }));
    return parts;
  };
  return {
    run: async (input) => {
      own.write(weights.length, input);
      for (const peer of peers) {
        // A copy: a message takes the whole buffer of a typed array.
        const copy = input.slice();
        peer.send({ run: copy }, [copy.buffer]);
      }
      let isWaiting = own.run();
      while (isWaiting) {
        const parts = await exchange().catch(() => undefined);
        isWaiting = parts ? own.resume(parts) : (dropPeers(), own.resumeAlone());
      }
      return own.result();
    },
    workers: () => peers.length + 1,
    dispose: dropPeers,
  };
}
