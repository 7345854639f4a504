import { ApplicationError } from '#libs/errors';

/** A build came to its end before it was done: another of the same projection was begun, or it was taken for broken off. */
export class BuildOvertakenError extends ApplicationError {
  override readonly name = 'BuildOvertakenError';

  constructor(projection: string) {
    super(
      'service_unavailable',
      `This rebuild of ${projection} was ended: another was started, or this one had not gone on for five seconds.`,
    );
  }
}

/** The tables are not there: another build removed them, and they are being built anew. */
export class ReadModelMissingError extends ApplicationError {
  override readonly name = 'ReadModelMissingError';

  constructor(projection: string) {
    super('service_unavailable', `The read model ${projection} is being built; try again shortly.`, { headers: { 'retry-after': '1' } });
  }
}
