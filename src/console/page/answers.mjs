/** An answer that is not the one asked for. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** What the service answers, as an object. Rejects within three seconds where nothing comes, and with a `Refusal` where it is none. */
export async function answerOf(path) {
  const answer = await fetch(path, { cache: 'no-store', signal: AbortSignal.timeout(3_000) });
  if (answer.ok) return answer.json();
  const body = await answer.json().catch(() => null);
  throw new Refusal(answer.status, body?.message ?? `it answered with status ${answer.status}`);
}

/** Why there is no answer, in words that follow a colon. */
export function reasonOf(error) {
  if (error instanceof Refusal) return error.status === 401 ? 'the password has changed, so the page must be loaded again' : error.message;
  return error.name === 'TimeoutError' ? 'no answer within 3 s' : 'the service cannot be reached';
}

/** Asks for one path at a time. What is wanted meanwhile is asked for once, after it, and an answer to what nobody wants any more is dropped. */
export function oneAtATime({ show, fail }) {
  let isAsking = false;
  let wanted = null;
  return async (path) => {
    wanted = path;
    if (isAsking) return;
    isAsking = true;
    try {
      while (wanted !== null) {
        const asked = wanted;
        wanted = null;
        const outcome = await answerOf(asked).then(
          (answer) => () => show(answer),
          (error) => () => fail(error),
        );
        if (wanted === null || wanted === asked) outcome();
      }
    } finally {
      isAsking = false;
    }
  };
}
