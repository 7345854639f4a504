import { linkWithHelp } from './error.filter.js';

const HELP = '</docs/errors#gone>; rel="help"';
const SUCCESSOR = '</v1/things?ids=1,2>; rel="successor-version"';
const NEXT = '</v1/things?cursor=a>; rel="next"';

describe('the link of an error to its explanation', () => {
  it.each([
    ['no other', undefined, HELP],
    ['another one', SUCCESSOR, `${SUCCESSOR}, ${HELP}`],
    ['several header lines', [SUCCESSOR, NEXT], `${SUCCESSOR}, ${NEXT}, ${HELP}`],
    ['only that of another error', '</docs/errors#not_found>; rel="help"', HELP],
    ['that of another error behind another link', `${SUCCESSOR}, </docs/errors#not_found>; rel="help"`, `${SUCCESSOR}, ${HELP}`],
  ])('stands once beside %s', (_name, link, expected) => {
    expect(linkWithHelp(link, 'gone')).toBe(expected);
  });
});
