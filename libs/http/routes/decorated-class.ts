import type { Type } from '@nestjs/common';

/** Returns the key of the metadata that a decorator of Nest sets on a class: the packages do not export it. */
export function findMetadataKey(decorate: (type: Type) => void): unknown {
  class Decorated extends Object {}
  decorate(Decorated);
  return Reflect.getOwnMetadataKeys(Decorated)[0];
}

/** Returns a class itself, and the class of an instance. */
export function toClass(value: unknown): Type {
  return (typeof value === 'function' ? value : (Object(value) as object).constructor) as Type;
}
