// The jobs of a run, as this thread and workers perform them.

/** Returns a function that lets the event loop run; its promise resolves to whether to continue. */
export function pauseFor(signal) {
  return () =>
    new Promise((resolve) => {
      const resume = () => resolve(!signal?.aborted);
      if (typeof setImmediate === 'function') return void setImmediate(resume);
      // Browsers delay nested timers by at least 4 ms.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => (port1.close(), resume());
      port2.postMessage(0);
    });
}

/** The typed arrays of a job's result, whose buffers a worker transfers. */
export function buffersOf(result) {
  const records = [result?.value ?? [], result?.outfeed ?? [], result?.arrays ? result : []].flat();
  return records.flatMap((record) => record.arrays ?? []).map((array) => array.buffer);
}

/** Performs a job on a parsed program. */
export function perform(bindings, program, job, hooks) {
  const options = { ...job.options, ...hooks };
  switch (job.kind) {
    case 'evaluate':
      return program.evaluate(job.arguments, options);
    case 'provenance':
      return program.provenance(job.arguments, job.query, options);
    default:
      throw new Error(`no job ${job.kind}`);
  }
}

/** A program for repeated runs. */
export function prepare(bindings, program, job) {
  return new bindings.PreparedProgram(program, job.constants, job.options.seed ?? 0);
}
