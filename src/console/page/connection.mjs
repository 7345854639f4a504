const PATIENCE = 2_500;

/** Nothing was asked yet. */
export const unconnected = { answeredAt: null, failure: null };

/** The connection after an answer. */
export function answered(at) {
  return { answeredAt: at, failure: null };
}

/** The connection after a failure; `isFinal` where asking again is of no use. */
export function failed(connection, reason, isFinal) {
  return { ...connection, failure: { reason, isFinal } };
}

/** Whether to say that the connection is lost: a single failure is none as long as an answer is younger than two and a half seconds. */
export function isLost({ answeredAt, failure }, now) {
  if (failure === null) return false;
  return failure.isFinal || answeredAt === null || now - answeredAt >= PATIENCE;
}
