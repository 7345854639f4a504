/** Handles the submission of a form without loading a page. */
export function withoutLoading(handle) {
  return (event) => {
    event.preventDefault();
    handle(event);
  };
}
