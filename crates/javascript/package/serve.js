// The jobs of a worker: one at a time, on programs that it parses itself.

import * as bindings from './bindings.js';
import { buffersOf, perform, prepare } from './engine.js';

/** Serves jobs; `listen` takes the listener of messages, `post` sends them. */
export function serve(listen, post) {
  let ready;
  let parsed = { text: undefined, edition: undefined, program: undefined };
  let prepared;

  const programOf = ({ text, edition }) => {
    if (parsed.text !== text || parsed.edition !== edition) {
      parsed.program?.free();
      parsed = { text, edition, program: new bindings.ParsedModule(text, edition) };
    }
    return parsed.program;
  };

  const result = async (job, hooks) => {
    if (job.kind === 'prepare') {
      prepared = prepare(bindings, programOf(job), job);
      return prepared.fallbackReason ?? null;
    }
    if (job.kind === 'run') return prepared.run(job.arguments, { ...job.options, ...hooks });
    return perform(bindings, programOf(job), job, hooks);
  };

  listen(async (message) => {
    if (message.module) {
      ready = bindings.default({ module_or_path: message.module });
      return;
    }
    const { id } = message;
    try {
      await ready;
      const onProgress = message.wantsProgress ? (progress) => post({ id, progress }, []) : undefined;
      const value = await result(message, { onProgress });
      post({ id, value }, buffersOf(value));
    } catch (thrown) {
      const isErrorRecord = typeof thrown === 'object' && thrown !== null && 'hints' in thrown;
      post(isErrorRecord ? { id, errorRecord: thrown } : { id, crash: String(thrown?.message ?? thrown) }, []);
    }
  });
}
