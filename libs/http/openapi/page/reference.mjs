// Swagger UI shows what JSON.parse gives, in which a number would lose the last digits of an int64.
const { parse } = JSON;
if (JSON.rawJSON) {
  const keepDigits = (_name, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? JSON.rawJSON(source) : value;
  JSON.parse = (text, reviver) => parse(text, reviver ?? keepDigits);
}

// It opens the operation of an address only when it starts. Its own changes of the address do not raise this event.
addEventListener('hashchange', () => globalThis.ui.layoutActions.parseDeepLinkHash(location.hash));

// In dark colours if the reader's screen is, as the other pages.
const dark = matchMedia('(prefers-color-scheme: dark)');
const adapt = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', adapt);
adapt();
