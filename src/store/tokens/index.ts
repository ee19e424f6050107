export { tokenId } from './secret';
export {
  type KnownToken,
  type NewToken,
  type TokenInfo,
  type TokenLimits,
  Tokens,
  type TokenState,
} from './tokens';
