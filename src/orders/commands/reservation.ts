/** Injection token of the milliseconds for which an order that nobody has approved holds its animal. */
export const RESERVATION = Symbol('RESERVATION');
