// Of the tab: a reload keeps it, and it goes with the tab. It is never part of an address, a cookie or what the disk keeps for longer.
const NAME = 'api-key';

/** The API key that was typed in, empty when there is none. */
export function keptKey() {
  return sessionStorage.getItem(NAME) ?? '';
}

/** Fills the field with the key of this tab and keeps what is typed into it. A page without a field keeps nothing. */
export function rememberKey(field, forget) {
  if (!field) return;
  field.value = keptKey();
  field.addEventListener('input', () => sessionStorage.setItem(NAME, field.value.trim()));
  field.form.addEventListener('submit', (event) => event.preventDefault());
  forget.addEventListener('click', () => {
    sessionStorage.removeItem(NAME);
    field.value = '';
    field.focus();
  });
}
