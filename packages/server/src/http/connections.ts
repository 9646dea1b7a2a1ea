import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Cidr } from "@parley/a2a";
import { clientAddressOf, isOneOf, networkOf } from "./client-address.ts";

/** Limits of open connections: in total, and unauthenticated ones of one address. */
export interface ConnectionCounts {
  readonly connections: number;
  readonly guestsPerAddress: number;
}

/** Extra connections, reserved for probes. */
const RESERVED = 100;
const PROBES = /^\/(healthz|readyz)\/?$/;

interface Connection {
  /** The network that it counts for; undefined for trusted proxies, whose requests are counted instead. */
  readonly address: string | undefined;
  readonly isReserved: boolean;
  answers: number;
  /** How many of these requests are authenticated. */
  vouched: number;
}

const bySocket = new WeakMap<Socket, Connections>();

/** Marks a request as authenticated: meanwhile its connection does not count as a guest of its address. */
export function vouchFor(request: IncomingMessage, response: ServerResponse): void {
  bySocket.get(request.socket)?.vouch(request, response);
}

/**
 * The open connections of a port. An idle connection makes room for a newer one, first among those of the same address:
 * idle connections, however many, keep nobody out, and no address uses up another's share.
 */
export class Connections {
  readonly #limits: ConnectionCounts;
  readonly #trusted: readonly Cidr[];
  readonly #open = new Map<Socket, Connection>();
  /** Idle connections, the longest idle first: those in the reserve, all others, and those of each address. */
  readonly #waitingInReserve = new Set<Socket>();
  readonly #waiting = new Set<Socket>();
  readonly #waitingAt = new Map<string, Set<Socket>>();
  readonly #guests = new Map<string, number>();
  /** Requests through a trusted proxy that count as a guest of their client's address. */
  readonly #proxied = new WeakMap<IncomingMessage, string>();

  constructor(limits: ConnectionCounts, trusted: readonly Cidr[] = []) {
    this.#limits = limits;
    this.#trusted = trusted;
  }

  /** Accepts a new connection, or closes it at once. */
  add(socket: Socket): void {
    const { remoteAddress = "" } = socket;
    const plain = remoteAddress.replace(/^::ffff:/i, "");
    const address = isOneOf(this.#trusted, plain) ? undefined : networkOf(plain);
    if (address !== undefined && this.#isFull(address) && !this.#evict(this.#waitingAt.get(address)))
      return void socket.destroy();
    const { connections } = this.#limits;
    const isReserved = this.#open.size >= connections && !this.#evict(this.#waiting);
    // A probe makes room for another only when the reserve is full, so that simultaneous probes are all answered.
    if (this.#open.size >= connections + RESERVED && !this.#evict(this.#waitingInReserve))
      return void socket.destroy();
    const connection = { address, isReserved, answers: 0, vouched: 0 };
    this.#open.set(socket, connection);
    bySocket.set(socket, this);
    this.#count(address, 1);
    this.#wait(socket, connection);
    socket.once("close", () => this.#remove(socket));
  }

  /** Whether an answer is being written there. */
  isAnswering(socket: Socket): boolean {
    return (this.#open.get(socket)?.answers ?? 0) > 0;
  }

  /** Counts a request that is being answered; false: there are too many, and it must be refused. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket, url = "" } = request;
    const connection = this.#open.get(socket);
    if (!connection) return true;
    connection.answers++;
    this.#unwait(socket, connection);
    const client = connection.address === undefined ? networkOf(clientAddressOf(request)) : undefined;
    const isRefused = client !== undefined && this.#isFull(client);
    if (client !== undefined && !isRefused) {
      this.#proxied.set(request, client);
      this.#count(client, 1);
    }
    response.once("close", () => {
      this.#count(this.#proxied.get(request), -1);
      if (--connection.answers === 0 && this.#open.has(socket)) this.#wait(socket, connection);
    });
    const [path = ""] = url.split("?", 1);
    return !isRefused && (!connection.isReserved || PROBES.test(path));
  }

  vouch(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#open.get(request.socket);
    if (!connection) return;
    this.#count(this.#proxied.get(request), -1);
    this.#proxied.delete(request);
    if (connection.vouched++ === 0) this.#count(connection.address, -1);
    response.once("close", () => {
      if (--connection.vouched === 0 && this.#open.has(request.socket)) this.#count(connection.address, 1);
    });
  }

  #isFull(address: string): boolean {
    return (this.#guests.get(address) ?? 0) >= this.#limits.guestsPerAddress;
  }

  #evict(waiting: ReadonlySet<Socket> | undefined): boolean {
    const [longest] = waiting ?? [];
    if (!longest) return false;
    this.#remove(longest);
    longest.destroy();
    return true;
  }

  #remove(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (!connection) return;
    this.#open.delete(socket);
    this.#unwait(socket, connection);
    if (connection.vouched === 0) this.#count(connection.address, -1);
  }

  #wait(socket: Socket, { address, isReserved }: Connection): void {
    (isReserved ? this.#waitingInReserve : this.#waiting).add(socket);
    if (address === undefined) return;
    const own = this.#waitingAt.get(address) ?? new Set();
    this.#waitingAt.set(address, own.add(socket));
  }

  #unwait(socket: Socket, { address = "" }: Connection): void {
    this.#waiting.delete(socket);
    this.#waitingInReserve.delete(socket);
    const own = this.#waitingAt.get(address);
    own?.delete(socket);
    if (own?.size === 0) this.#waitingAt.delete(address);
  }

  #count(address: string | undefined, change: 1 | -1): void {
    if (address === undefined) return;
    const guests = (this.#guests.get(address) ?? 0) + change;
    if (guests > 0) this.#guests.set(address, guests);
    else this.#guests.delete(address);
  }
}
