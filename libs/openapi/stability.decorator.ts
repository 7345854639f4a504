import { ApiExtension } from '@nestjs/swagger';

/** Marks an operation that may still change: `experimental` at any time, `beta` with notice. An operation without the mark is stable. */
export function Stability(level: 'experimental' | 'beta'): MethodDecorator {
  return ApiExtension('x-stability', level);
}
