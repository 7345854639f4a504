import { until } from '#libs/testing';
import { releaseHeld } from '../testing/sample-app.js';
import { SampleClient } from '../testing/sample-client.js';

const BODY = '{"name":"Ana"}';
const head = (start: string): string => `${start} HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer key\r\n`;
const get = (id: string): string => `${head(`GET /v1/things/${id}`)}\r\n`;
const postHead = `${head('POST /v1/things')}Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n`;

describe('a server of which one request of an operation may be in progress', () => {
  const client = SampleClient.use({ mostInProgress: 1 });
  const open = () => client.open();
  const statusOf = async (request: string): Promise<number> => {
    const connection = open();
    connection.send(request);
    const { status } = await connection.answer();
    connection.destroy();
    return status;
  };
  /** Returns when the request is served, however often it is refused before. */
  const untilServed = (request: string) => until(async () => (await statusOf(request)) !== 503);

  it('refuses a second one before anything else is asked of it, and serves other operations', async () => {
    const slow = open();
    slow.send(get('held'));
    await until(() => client.sample.hooks.length > 0);
    const others = await Promise.all([get('1'), `${postHead}\r\n${BODY}`, get('2')].map(statusOf));
    releaseHeld();
    expect([(await slow.answer()).status, ...others]).toEqual([200, 503, 201, 503]);
    expect(client.sample.hooks.filter((hook) => hook.startsWith('limit'))).toEqual(['limit GET', 'limit POST']);
    expect(await statusOf(get('3'))).toBe(200);
  });

  it('forgets requests whose connection is lost, before or after their body has come', async () => {
    const leaving = [open(), open(), open()] as const;
    leaving[0].send(get('slow') + get('slow'));
    leaving[1].send(`${postHead}Expect: 100-continue\r\n\r\n`);
    expect((await leaving[1].answer()).status).toBe(100);
    leaving[1].send(BODY.slice(1));
    leaving[2].send(`${postHead}\r\n${BODY}${postHead}\r\n${BODY}`);
    for (const connection of leaving) connection.reset();
    await untilServed(get('1'));
    await untilServed(`${postHead}\r\n${BODY}`);
  });
});
