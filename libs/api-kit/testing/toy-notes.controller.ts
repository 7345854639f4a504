import { Controller, Delete, Get, Header, Param, Patch, Post, Res } from '@nestjs/common';
import { IsText } from '#libs/validation';
import type { FastifyReply } from 'fastify';
import { IfMatch, Operation, ReadBody, type DescribedBody, type Precondition } from '../index.js';

class Note {
  @IsText(100)
  readonly text!: string;
}

const noteBody: DescribedBody = { type: Note, schema: 'ToyNote', noun: 'a note', examples: {} };

/** Notes that are changed under a precondition; there is one, and nothing that is done to it is kept. */
@Controller('v1/notes')
export class ToyNotesController {
  @Get(':id')
  @Header('Link', '</v1/things>; rel="successor-version"')
  get(@Param('id') id: string): object {
    return noteOf(id);
  }

  @Post()
  add(@ReadBody(noteBody) { text }: { readonly text?: unknown }): object {
    return { text };
  }

  @Patch(':id')
  @Operation({ id: 'changeNote', summary: 'Change it', description: 'It.', answer: { tagged: true, description: 'It.' } })
  change(
    @Param('id') id: string,
    @ReadBody({ ...noteBody, mediaTypes: ['application/merge-patch+json', 'application/json'] }) { text }: { readonly text?: unknown },
    @IfMatch() precondition: Precondition | undefined,
  ): object {
    const note = noteOf(id);
    precondition?.(note);
    return text === undefined ? note : { ...note, text };
  }

  @Delete(':id')
  @Operation({
    id: 'removeNote',
    summary: 'Remove it',
    description: 'It.',
    answer: { status: 204, description: 'It is gone.', headers: { 'X-Removed-Pages': 'How many pages went with it.' } },
  })
  remove(
    @Param('id') id: string,
    @IfMatch() precondition: Precondition | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): void {
    precondition?.(noteOf(id));
    reply.header('X-Removed-Pages', '3');
  }
}

/** As wide a representation as JSON knows. */
function noteOf(id: string): object {
  return { id: BigInt(id), text: 'Käse "🐈"', pages: [1.5, null, true], at: new Date(0), none: undefined };
}
