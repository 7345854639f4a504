import { passwordCheck } from './password.js';

const PASSWORD = 'open: sésame';
const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`;

describe('the password of the console', () => {
  const isRight = passwordCheck(PASSWORD);

  it('is found behind any name', () => {
    for (const header of [basic(`anna:${PASSWORD}`), basic(`:${PASSWORD}`), basic(`x:${PASSWORD}`).replace('Basic', 'bASIC ')]) {
      expect([header, isRight(header)]).toEqual([header, true]);
    }
  });

  it('is not found in anything else', () => {
    const others = ['', 'open sésame', 'anna:', 'anna:open: sésam', `anna:${PASSWORD} `].map(basic);
    for (const header of [undefined, '', 'Basic', 'Basic !', PASSWORD, basic(`:${PASSWORD}`).replace('Basic', 'Bearer'), ...others]) {
      expect([header, isRight(header)]).toEqual([header, false]);
    }
    // A name alone is no password.
    expect(passwordCheck('sesame')(basic('sesame'))).toBe(false);
  });
});
