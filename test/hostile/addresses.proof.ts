import { attackAddresses } from './address-attacks.ts';

attackAddresses((routes) => routes);
