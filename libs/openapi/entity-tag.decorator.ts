import { applyDecorators } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';

/** The operation answers conditionally: 304 while the client's copy is still right, 412 once what it relies on is not. */
export function AcceptsEntityTag(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'If-Match',
      required: false,
      description: 'Entity tags that the client relies on; when none of them holds, the answer is 412 (RFC 9110 section 13.1.1).',
      schema: { type: 'string' },
    }),
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description:
        'Entity tags of copies that the client has; when one still holds, the answer is 304 without a body (RFC 9110 section 13.1.2).',
      schema: { type: 'string' },
    }),
  );
}
