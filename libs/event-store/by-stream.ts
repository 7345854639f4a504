/** Events by their streams, those of each in the order in which they are given. */
export function byStream<Event extends { readonly stream: string }>(events: readonly Event[]): ReadonlyMap<string, readonly Event[]> {
  const streams = new Map<string, Event[]>();
  for (const event of events) {
    const ofStream = streams.get(event.stream);
    if (ofStream) ofStream.push(event);
    else streams.set(event.stream, [event]);
  }
  return streams;
}
