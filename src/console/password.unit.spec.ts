import { passwordCheck } from './password.js';

const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`;
const isRight = passwordCheck('open: sésame');

it.each([basic('anna:open: sésame'), basic(':open: sésame'), basic('x:open: sésame').replace('Basic', 'bASIC ')])(
  'finds the password in %p',
  (header) => {
    expect(isRight(header)).toBe(true);
  },
);

it.each([
  undefined,
  '',
  'Basic',
  'Basic !',
  basic(''),
  basic('open: sésame'.replace(':', '')),
  basic('anna:'),
  basic('anna:open: sésam'),
  basic('anna:open: sésame '),
  basic('open: sésame').replace('Basic', 'Bearer'),
  'open: sésame',
])('does not find the password in %p', (header) => {
  expect(isRight(header)).toBe(false);
});
