import { importRule } from '../rule.js';

const TEST_PACKAGE = /^(?:@jest\/globals|fast-check|jest)$/;

/** What is built never imports what is only there for tests. */
export const noTestCodeRule = importRule(
  'no-test-code',
  ({ place }) => !place.isSpec && !(place.area === 'libs' && place.unit === 'testing'),
  ({ target, specifier }) => {
    const forTests =
      target?.place.area === 'test' || target?.place.isSpec === true || specifier === '#libs/testing' || TEST_PACKAGE.test(specifier);
    return forTests ? `${specifier} is there for tests only` : undefined;
  },
);
