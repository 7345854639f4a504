/** The stream that a text names: a number alone is the one of an animal. */
export function streamOf(text) {
  const trimmed = text.trim();
  return /^\d+$/.test(trimmed) ? `pet-${BigInt(trimmed)}` : trimmed;
}

/** The streams that a member of an event's data names, such as `petId`. */
export function streamNamed(name, value) {
  const [, kind] = /^(pet|order)Id$/.exec(name) ?? [];
  return kind && /^\d+$/.test(String(value)) ? `${kind}-${value}` : null;
}

/** The members of each event's data, oldest event first, with the value that they had before where that is known and another one. */
export function changesOf(items) {
  const known = new Map();
  return items.map(({ data }) =>
    Object.entries(data ?? {}).map(([name, value]) => {
      const before = known.get(name);
      const isOther = known.has(name) && JSON.stringify(before) !== JSON.stringify(value);
      known.set(name, value);
      return { name, value, ...(isOther && { before }) };
    }),
  );
}
