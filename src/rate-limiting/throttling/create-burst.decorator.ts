import { Throttle } from '@nestjs/throttler';

/** The name of the limit that the configuration sets by `CREATE_BURST_PER_SECOND`. */
export const CREATE_BURST = 'create-burst';

/** Limits how often one API key may call this handler within a second, where the configuration says so. */
export function LimitsCreateBurst(): MethodDecorator {
  return Throttle({ [CREATE_BURST]: {} });
}
