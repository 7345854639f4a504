const exclusions = new WeakMap<object, Map<string, readonly string[]>>();

/** The parameter of a query cannot be given together with these others. */
export function MutuallyExclusiveWith(...others: readonly string[]): PropertyDecorator {
  return (target, property) => {
    const ofTarget = exclusions.get(target) ?? new Map<string, readonly string[]>();
    exclusions.set(target, ofTarget.set(String(property), others));
  };
}

/**
 * One reason for each parameter that was given together with what it cannot be given with.
 * @param given the names of the parameters of a request
 */
export function exclusionFaults(type: abstract new () => object, given: readonly string[]): string[] {
  const ofType = exclusions.get(type.prototype as object);
  if (!ofType) return [];
  return [...ofType].flatMap(([name, others]) => {
    const clashing = given.includes(name) ? others.filter((other) => given.includes(other)) : [];
    return clashing.length === 0 ? [] : [`${name} cannot be given together with ${clashing.join(' and ')}`];
  });
}
