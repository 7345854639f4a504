import { until } from '#libs/testing';
import { RawConnection, type Answer } from './raw-connection.js';
import { startSampleApp, type SampleApp, type SampleOptions } from './sample-app.js';

export const HOST = 'Host: shop\r\n';
export const KEY = 'Authorization: Bearer key\r\n';
export const JSON_TYPE = 'Content-Type: application/json\r\n';

/** A sample application and the connections a test opens to it. */
export class SampleClient {
  private readonly connections: RawConnection[] = [];
  private running: SampleApp | undefined;

  private constructor(private readonly options: SampleOptions) {}

  /** Starts an application for the tests of a file, or for each of them, and closes the connections after each test. */
  static use({ forEachTest = false, ...options }: SampleOptions & { readonly forEachTest?: boolean } = {}): SampleClient {
    const client = new SampleClient(options);
    (forEachTest ? beforeEach : beforeAll)(() => client.start());
    afterEach(() => {
      for (const connection of client.connections.splice(0)) connection.destroy();
    });
    (forEachTest ? afterEach : afterAll)(() => client.sample.app.close());
    return client;
  }

  get sample(): SampleApp {
    if (!this.running) throw new Error('The sample application has not been started.');
    return this.running;
  }

  open(): RawConnection {
    const connection = new RawConnection(this.sample.port);
    this.connections.push(connection);
    return connection;
  }

  /** @param head the request line and the headers, without the empty line that ends them */
  async send(head: string, body = ''): Promise<Answer> {
    const connection = this.open();
    connection.send(`${head}\r\n${body}`);
    return connection.answer({ toHead: head.startsWith('HEAD') });
  }

  get(path: string, headers = ''): Promise<Answer> {
    return this.send(`GET ${path} HTTP/1.1\r\n${HOST}${KEY}${headers}`);
  }

  post(body: string, headers = ''): Promise<Answer> {
    const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`;
    return this.send(`POST /v1/things HTTP/1.1\r\n${HOST}${KEY}${JSON_TYPE}${length}${headers}`, body);
  }

  /** A line is written once the connection has taken the whole answer, a moment after the client may have read it. */
  async lineOf(requestId: string | undefined): Promise<Record<string, unknown>> {
    const find = () => this.sample.lines.find((line) => line['requestId'] === requestId && line['msg'] !== 'request failed');
    return (await until(find)) ?? {};
  }

  private async start(): Promise<void> {
    this.running = await startSampleApp(this.options);
  }
}

/** The answer is an error as every error is. */
export function expectError({ status, headers, body }: Answer, code: string, expected: number): void {
  expect(headers['link']?.match(/[^ ]*; rel="help"/g)).toEqual([`</docs/errors#${code}>; rel="help"`]);
  const error = JSON.parse(body) as Record<string, unknown>;
  expect({ status, code: error['code'] }).toEqual({ status: expected, code });
  const members = Object.keys(error).filter((name) => name !== 'errors');
  expect(members.sort()).toEqual(['code', 'message', 'status']);
  expect(error['status']).toBe(status);
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
  });
  expect(headers['x-request-id']).toMatch(/^[\w.-]{1,128}$/);
}
