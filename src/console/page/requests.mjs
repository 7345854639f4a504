const TIMEOUT = 3_000;
const INTERVAL = 1_000;
const HIDDEN_INTERVAL = 10_000;

/** A response with an error status. Its message is the service's own if it has one. */
class ResponseError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Returns the JSON at a path. Rejects with a `ResponseError`, or with another error if there is no response within three seconds. */
export async function fetchJson(path) {
  const response = await fetch(path, { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT) });
  if (response.ok) return response.json();
  const body = await response.json().catch(() => null);
  throw new ResponseError(response.status, body?.message ?? `it answered with status ${response.status}`);
}

/** Why a request failed, in words that follow a colon. */
export function describeError(error) {
  if (error.status === 401) return 'the password has changed, so the page must be loaded again';
  if (error instanceof ResponseError) return error.message.replace(/\.$/, '');
  return error.name === 'TimeoutError' ? 'no answer within 3 s' : 'the service cannot be reached';
}

/**
 * Makes a function that requests one path at a time. Paths asked for in the meantime are reduced to the last one, requested afterwards;
 * a response that is no longer wanted is dropped.
 */
export function latestRequest({ show, fail }) {
  let isRequesting = false;
  let wanted = null;
  return async (path) => {
    wanted = path;
    if (isRequesting) return;
    isRequesting = true;
    try {
      while (wanted !== null) {
        const requested = wanted;
        wanted = null;
        const handle = await fetchJson(requested).then(
          (body) => () => show(body),
          (error) => () => fail(error),
        );
        if (wanted === null || wanted === requested) handle();
      }
    } finally {
      isRequesting = false;
    }
  };
}

/**
 * Requests again and again: once a second, every ten seconds while the page is hidden, and at once when it is seen again.
 * Ends if `onFailure` returns false.
 */
export async function poll(request, { onAnswer, onFailure }) {
  for (;;) {
    const isDue = waitOrBecomeVisible(document.hidden ? HIDDEN_INTERVAL : INTERVAL);
    try {
      onAnswer(await request());
    } catch (error) {
      if (!onFailure(error)) return;
    }
    await isDue;
  }
}

function waitOrBecomeVisible(milliseconds) {
  const signal = AbortSignal.timeout(milliseconds);
  return new Promise((resolve) => {
    signal.addEventListener('abort', resolve);
    document.addEventListener('visibilitychange', resolve, { once: true, signal });
  });
}
