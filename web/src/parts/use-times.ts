import { createContext, useContext } from 'react';
import type { Times } from './times.ts';

const TimesContext = createContext<Times | undefined>(undefined);
export const TimesProvider = TimesContext.Provider;

export function useTimes(): Times {
  const times = useContext(TimesContext);
  if (times === undefined) throw new Error('the zone of the installation is not known yet');
  return times;
}
