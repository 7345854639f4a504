import fc from 'fast-check';
import type { DomainEvent } from '#libs/event-sourcing';

const newerEvent: fc.Arbitrary<DomainEvent> = fc.record({
  type: fc.constantFrom('of-a-newer-build', 'another-of-a-newer-build'),
  data: fc.dictionary(fc.string(), fc.jsonValue()),
});

/** A stream as a newer build might have written it: types that are unknown anywhere in it, and a further member in each known one. */
export function withNewerEvents<Event extends DomainEvent>(stream: readonly Event[]): fc.Arbitrary<readonly Event[]> {
  const between = fc.array(newerEvent, { maxLength: 2 });
  return fc.tuple(between, ...stream.map((event) => between.map((newer) => [withFurtherMember(event), ...newer]))).map(
    // The types do not include every event of the log.
    (parts) => parts.flat() as unknown as readonly Event[],
  );
}

function withFurtherMember<Event extends DomainEvent>(event: Event): Event {
  return { ...event, data: { ...event.data, furtherMember: { of: ['a newer', 'schema version'] } } };
}
