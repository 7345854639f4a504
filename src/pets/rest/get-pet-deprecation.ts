import { applyDecorators, Header } from '@nestjs/common';
import { ApplicationError } from '#libs/errors';

const DEPRECATED_AT = new Date('2025-12-05T00:00:00Z');
export const SUNSET_AT = new Date('2030-12-05T00:00:00Z');
const SUCCESSOR = '/v1/pets';

/** Says on every answer of the handler since when it is deprecated (RFC 9745), until when it is served (RFC 8594) and what follows it (RFC 5829). */
export function AnnouncesDeprecation(): MethodDecorator {
  return applyDecorators(
    Header('Deprecation', `@${DEPRECATED_AT.getTime() / 1000}`),
    Header('Sunset', SUNSET_AT.toUTCString()),
    Header('Link', `<${SUCCESSOR}>; rel="successor-version"`),
  );
}

/** @throws ApplicationError `gone` from the sunset on. */
export function refuseFromSunset(now: Date): void {
  if (now < SUNSET_AT) return;
  throw new ApplicationError('gone', `This operation was removed on 5 December 2030; use GET ${SUCCESSOR} with the status filter.`);
}
