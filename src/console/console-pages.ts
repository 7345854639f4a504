import { Injectable } from '@nestjs/common';
import { ManagementServer, type ManagementAnswer, type ManagementPage } from '#libs/operations';
import { consoleFiles } from './console-files.js';
import { json } from './json-answer.js';
import { CLIENT_ADDRESSES } from '../rate-limiting/index.js';
import { LogPages } from './log-pages.js';
import { PasswordGuesses } from './password-guesses.js';
import { Password } from './password.js';
import { RecentSeconds } from './seconds/recent-seconds.js';
import { Snapshot } from './snapshot/snapshot.js';

const PATH = '/console';

const REFUSED: ManagementAnswer = {
  status: 401,
  contentType: 'text/plain; charset=utf-8',
  body: 'The console asks for its password, CONSOLE_PASSWORD, by HTTP Basic authentication with any user name.\n',
  headers: { 'www-authenticate': 'Basic realm="console", charset="UTF-8"' },
};

/** Serves the operators' page and what it shows on the management port. */
@Injectable()
export class ConsolePages {
  constructor(
    server: ManagementServer,
    private readonly password: Password,
    private readonly guesses: PasswordGuesses,
    private readonly snapshot: Snapshot,
    private readonly seconds: RecentSeconds,
    log: LogPages,
  ) {
    for (const [path, file] of consoleFiles(PATH)) server.register(path, this.guarded(file));
    server.register(
      `${PATH}/data`,
      this.guarded(({ query }) => this.data(query.get('after'))),
    );
    server.register(
      `${PATH}/events`,
      this.guarded(({ query }) => log.newest(query)),
    );
    server.register(
      `${PATH}/history`,
      this.guarded(({ query }) => log.history(query)),
    );
  }

  private guarded(page: ManagementPage): ManagementPage {
    return (request) => {
      const address = CLIENT_ADDRESSES.ofConnection(request.remoteAddress);
      const wait = this.guesses.secondsToWait(address);
      if (wait > 0) return tooManyGuesses(wait);
      if (this.password.allows(request.authorization)) return page(request);
      if (request.authorization !== undefined) this.guesses.countWrong(address);
      return REFUSED;
    };
  }

  /** What is common to all open pages is made once, and joined with the seconds that this one lacks. */
  private async data(after: string | null): Promise<ManagementAnswer> {
    const snapshot = await this.snapshot.json();
    const points = JSON.stringify(this.seconds.after(Number(after ?? 0)));
    return json(200, `${snapshot.slice(0, -1)},"points":${points}}`);
  }
}

function tooManyGuesses(seconds: number): ManagementAnswer {
  return {
    status: 429,
    contentType: REFUSED.contentType,
    body: `There were too many wrong passwords from this address; none is taken from it for ${seconds} s.\n`,
    headers: { 'retry-after': `${seconds}` },
  };
}
