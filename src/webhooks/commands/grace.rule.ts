import { applyDecorators } from '@nestjs/common';
import { Describes, IsDuration } from '#libs/validation';

/** How long the secret so far goes on where nobody says it. */
export const DEFAULT_GRACE = '24h';

const LONGEST_GRACE = '7d';

/** The property is how long the secret so far signs too. */
export function IsGrace(): PropertyDecorator {
  return applyDecorators(
    IsDuration(LONGEST_GRACE),
    Describes(
      `How long the secret so far signs too: a whole number and a unit, such as \`90m\` or \`0s\`, at most ${LONGEST_GRACE}; ${DEFAULT_GRACE} when left out. \`0s\` ends all secrets but the new one at once.`,
    ),
  );
}
