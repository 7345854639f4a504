import type { FastifyRequest } from 'fastify';
import { ApplicationError } from '#libs/errors';

/**
 * The value of a header that may be given once, undefined without it. Node joins or drops the values of a repeated header;
 * here a repetition is never resolved silently.
 * @param name in any case
 * @throws ApplicationError `invalid_parameter` naming the repeated header.
 */
export function singleHeader(request: Pick<FastifyRequest, 'raw'>, name: string): string | undefined {
  const wanted = name.toLowerCase();
  const { rawHeaders } = request.raw;
  let value: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index];
    if (given?.length !== wanted.length || given.toLowerCase() !== wanted) continue;
    if (value !== undefined) throw new ApplicationError('invalid_parameter', `The header ${name} is repeated; send it once.`);
    value = rawHeaders[index + 1];
  }
  return value;
}
