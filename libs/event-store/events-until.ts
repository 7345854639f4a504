/**
 * The events up to the moment, that millisecond included: always the first ones, also where an old log has times that go back.
 * @param events in order
 */
export function eventsUntil<Event extends { readonly recordedAt: Date }>(events: readonly Event[], moment: Date): readonly Event[] {
  const end = events.findIndex(({ recordedAt }) => recordedAt > moment);
  return end < 0 ? events : events.slice(0, end);
}
