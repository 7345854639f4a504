const PACE = 1_000;
const HIDDEN_PACE = 10_000;

/**
 * Asks again and again: once a second, every ten seconds while nobody sees the page, at once when it is seen again, never twice at a time.
 * `onFailure` ends it with the answer `false`.
 */
export function poll(ask, { onAnswer, onFailure }) {
  let timer;
  let isAsking = false;
  let goesOn = true;
  const next = async () => {
    clearTimeout(timer);
    if (isAsking || !goesOn) return;
    isAsking = true;
    const begun = performance.now();
    const outcome = await ask().then(
      (answer) => () => onAnswer(answer),
      (error) => () => {
        goesOn = onFailure(error) !== false;
      },
    );
    isAsking = false;
    const pace = document.hidden ? HIDDEN_PACE : PACE;
    // Before the answer is shown, so that nothing in it can end the polling.
    timer = setTimeout(next, Math.max(0, pace - (performance.now() - begun)));
    outcome();
  };
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) void next();
  });
  void next();
}
