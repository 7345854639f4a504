/**
 * Waits for statements of one transaction that do not need each other's answers, and so are sent without waiting in between: in the
 * order of the calls that gave these promises, in one round trip where the connection takes them so. All have settled when it
 * does, so none is left to run after the transaction has ended.
 * @throws the first error in that order
 */
export async function pipelined(statements: Iterable<Promise<unknown>>): Promise<void> {
  for (const outcome of await Promise.allSettled(statements)) {
    if (outcome.status === 'rejected') throw outcome.reason;
  }
}
