import { useState } from 'react';

/** Token of a link in a mail. It is removed from the address, so that the history does not keep it. */
export function useMailToken(): string {
  const [token] = useState(() => location.hash.slice(1));
  if (location.hash !== '') history.replaceState(null, '', location.pathname);
  return token;
}
