/*
 * A model of the filtered sync of net/sync, for spin. README.md lists the class that each part stands for, what is left
 * out, and the bug that each BUG switch reintroduces. Run by check_model.py.
 */

/* The heights of the chain are 1 to N. */
#ifndef N
#define N 3
#endif

#define PEERS 2
#define GIVEN_UP (N + 1)
#define WINDOW 2 /* requests in flight from one peer */

/* Sets of heights are masks: bit h stands for height h. */
#define AT(height) (1 << (height))
#define UP_TO(height) ((2 << (height)) - 1)
#define ALL_HEIGHTS UP_TO(N)

/*
 * The wallet's history: a payment to its first address, which adds a second address to the watch list; a payment to the
 * second address; and the spend of this coin, which matches only by the coin's outpoint.
 */
#define GROW 0
#define PAY 1
#define SPEND 2
#define TRANSACTIONS 3
#define TX(number) (1 << (number))

byte height_of[TRANSACTIONS]; /* 0: in no block */
byte tip;

/* Elements of filters. The first address is in every filter. */
#define COIN 1
#define ADDRESS 2

/* On disk, written in one database transaction: the wallet and the sync checkpoint. */
byte wallet;         /* its confirmed transactions */
bool wallet_grown;   /* it watches the second address */
byte disk_applied, disk_covered;
byte disk_missed, disk_doubtful;
bool disk_matched;
bool disk_grown;     /* it watched the second address when this was stored */

/* In memory: the checkpoint, ... */
byte applied;
byte missed; /* heights that were searched without the coin */
byte doubtful;
bool matched; /* filters hold the coin */
/* ... the schedule, and the blocks that were delivered but not applied. */
byte next;
byte again;
byte held, held_transactions;
bool is_short; /* of memory: blocks were dropped, and the lowest missing block has not arrived since */

/*
 * A request, the filter that serves it as far as the client knows, and whether the coin was found before it. A server
 * handles messages in order, so filter messages need no place of their own in the queue.
 */
typedef Request {
    byte height;  /* 0: none */
    byte filter;  /* the elements loaded and added before the request */
    bool found;   /* the coin was found before the request: the mark */
    bool loaded;  /* a new filter was loaded just before */
    bool wanted
}

typedef Peer {
    bool stale;       /* it is sent a new filter before the next request */
    byte filter;      /* the elements loaded and added; the server need not have used them yet */
    byte at_server;   /* the filter that served the last request, and the elements that it gained */
    Request queue[WINDOW]
}
Peer peers[PEERS];

#ifdef REORG
bool reorganised;
byte fork;
bool disk_on_branch; /* the checkpoint was stored on the second branch */
#endif

/* Scratch; 0 between steps, and not part of a state. */
hidden byte i, j, k, bits, without, batch, order;
hidden byte grew, inserted; /* spin hides no bool */

#define FRONT(p) peers[p].queue[0]
#define HAS_ROOM(p) (peers[p].queue[WINDOW - 1].height == 0)
#define LOADED_BEHIND(p) (peers[p].queue[1].loaded)
#define WANTED(p, n) (peers[p].queue[n].wanted -> AT(peers[p].queue[n].height) : 0)
#define IN_FLIGHT(p) (WANTED(p, 0) | WANTED(p, 1))
#define OPEN (IN_FLIGHT(0) | IN_FLIGHT(1))
#define MISSED (missed | doubtful)
#define IS_IN_USE(p) (!peers[p].stale || peers[p].queue[0].height != 0)
#define IS_AT_END (applied >= tip && OPEN == 0)
#define READY ((held & UP_TO(applied)) || (held & AT(applied + 1)))

/*
 * HeldBlocks, in sets: the lowest missing block, the blocks that wait for lower ones, and the blocks that may be
 * requested, which are limited by HeldBlocks::last_to_request() after blocks were dropped.
 */
#define ARRIVED (held | UP_TO(applied))
#define LOWEST(set) ((set) & -(set))
#define LOWEST_MISSING LOWEST(~ARRIVED)
#define WAITING (held & ~(LOWEST_MISSING - 1))
#define FIRST_NEEDED (WAITING != 0 -> LOWEST(WAITING) - 1 : 2 * LOWEST_MISSING - 1)
#define MAY_REQUEST (is_short -> FIRST_NEEDED : ALL_HEIGHTS)
#define TO_REQUEST (again | (next <= tip -> AT(next) : 0))
#define HAS_TASK ((TO_REQUEST & MAY_REQUEST) || (IS_AT_END && MISSED != 0))

/* Scan::complete() */
#define IS_COMPLETE (held == 0 && IS_AT_END && MISSED == 0 && again == 0)
#define CAN_CONTINUE (HAS_TASK || READY || OPEN != 0)

/* The highest height up to which nothing was missed, as in CheckpointKeeper::covered_by(). */
inline find_covered(result, open, last) {
    result = 0;
    do
    :: result < last && !((open) & AT(result + 1)) -> result++
    :: else -> break
    od
}

inline check_claim(height) {
    for (i : 0 .. TRANSACTIONS - 1) {
        assert(height_of[i] == 0 || height_of[i] > height || (wallet & TX(i)))
    }
    i = 0
}

inline store(searched_again) {
    disk_applied = applied;
#ifdef BUG_COVERAGE_NOT_STORED
    disk_missed = 0;
#else
    disk_missed = missed;
#endif
    disk_doubtful = doubtful | searched_again;
    find_covered(disk_covered, MISSED | disk_doubtful, applied);
    disk_matched = matched;
    disk_grown = wallet_grown;
#ifdef REORG
    disk_on_branch = reorganised;
#endif
    check_claim(disk_covered)
}

inline mark_stale(p) {
    peers[p].stale = true; peers[p].filter = 0;
    forget_unused_filter(p)
}

/* Makes equal states identical: a filter that will be replaced before it serves again gets no elements. */
inline forget_unused_filter(p) {
    if
    :: peers[p].queue[0].loaded || (peers[p].queue[0].height == 0 && peers[p].stale) -> peers[p].at_server = 0
    :: else
    fi
}

inline forget_requests(p) {
    for (k : 0 .. WINDOW - 1) {
        peers[p].queue[k].height = 0; peers[p].queue[k].filter = 0; peers[p].queue[k].found = 0;
        peers[p].queue[k].loaded = false; peers[p].queue[k].wanted = false
    }
    k = 0
}

/* A new connection replaces the old one. */
inline connect(p) {
    forget_requests(p);
    mark_stale(p)
}

/* The server's insertions by this answer are left out: without them, the server finds no more than with them. */
inline give_up(p) {
    peers[p].queue[k].wanted = false; peers[p].queue[k].height = GIVEN_UP; peers[p].queue[k].found = 0
}

inline discard_above(limit) {
    for (j : 0 .. PEERS - 1) {
        for (k : 0 .. WINDOW - 1) {
            if
            :: peers[j].queue[k].height > limit -> give_up(j)
            :: else
            fi
        }
    }
    j = 0; k = 0
}

inline mark_all_stale() {
    mark_stale(0); mark_stale(1)
}

inline drop_transactions_above(height) {
    for (i : 0 .. TRANSACTIONS - 1) {
        if
        :: height_of[i] > height -> held_transactions = held_transactions & ~TX(i)
        :: else
        fi
    }
    i = 0
}

inline drop_held_above(height) {
    held = held & UP_TO(height);
    drop_transactions_above(height);
    is_short = false
}

inline undo_wallet_to(height) {
    for (i : 0 .. TRANSACTIONS - 1) {
        if
        :: height_of[i] > height -> wallet = wallet & ~TX(i)
        :: else
        fi
    }
    i = 0
}

inline drop_coverage_above(height) {
    missed = missed & UP_TO(height);
    doubtful = doubtful & UP_TO(height)
}

inline restart_schedule(height) {
    again = again & UP_TO(height);
    if
    :: next > height + 1 -> next = height + 1
    :: else
    fi
}

/* FilteredBlockSource::request(): sends a new filter if one is due, then the request. */
inline request(p, h) {
    k = 0;
    do
    :: peers[p].queue[k].height != 0 -> k++
    :: else -> break
    od;
    if
    :: peers[p].stale ->
        peers[p].stale = false;
        peers[p].queue[k].loaded = true;
        peers[p].filter = (wallet_grown -> ADDRESS : 0) | ((wallet & TX(PAY)) -> COIN : 0);
#ifndef BUG_LOAD_WITHOUT_FOUND
        peers[p].filter = peers[p].filter | (matched -> COIN : 0)
#endif
    :: else
    fi;
    peers[p].queue[k].height = h; peers[p].queue[k].wanted = true;
    peers[p].queue[k].filter = peers[p].filter; peers[p].queue[k].found = matched;
    k = 0
}

/* Scan::take(). */
inline take(p) {
    if
    :: IS_AT_END -> again = again | MISSED
    :: else
    fi;
    if
    :: again != 0 ->
        j = 1;
        do
        :: !(again & AT(j)) -> j++
        :: else -> break
        od;
        again = again & ~AT(j)
    :: else -> j = next; next++
    fi;
    request(p, j);
    j = 0
}

/* BlockSchedule::take_over(): an idle peer is asked for the lowest blocks that only the other peer owes. */
inline take_over(p, other, count) {
    order = count;
    j = 1;
    do
    :: j > N || order == 0 -> break
    :: else ->
        if
        :: IN_FLIGHT(other) & ~IN_FLIGHT(p) & AT(j) -> request(p, j); order--
        :: else
        fi;
        j++
    od;
    j = 0; order = 0
}

/* A BIP37 server with UPDATE_ALL: the matches in the block, and the elements that they insert. */
inline search(content, h) {
    if
    :: height_of[GROW] == h -> bits = bits | TX(GROW)
    :: else
    fi;
    if
    :: height_of[PAY] == h && (content & ADDRESS) ->
        bits = bits | TX(PAY); content = content | COIN; inserted = true
    :: else
    fi;
    if
    :: height_of[SPEND] == h && (content & COIN) -> bits = bits | TX(SPEND)
    :: else
    fi
}

/* Delivery::covered and missed_in(): the higher blocks searched without the coin of block h. */
inline find_missed(p, other, h) {
    without = UP_TO(next - 1) & ~UP_TO(h);
    for (k : 1 .. WINDOW - 1) {
        if
#ifndef BUG_COVERED_BY_OLD_FILTER
        :: peers[p].queue[k].loaded -> break
#endif
#ifdef BUG_TAKEN_OVER_IS_COVERED
        :: else -> without = without & ~WANTED(p, k)
#else
        :: else -> without = without & ~(WANTED(p, k) & ~IN_FLIGHT(other))
#endif
        fi
    }
    k = 0
}

/* CheckpointKeeper::add_found() and BlockIntake::tell_others(), for a coin that is new. */
inline add_found(p, other, h) {
    matched = true;
#ifndef BUG_MISSED_NOT_NOTED
    find_missed(p, other, h);
    missed = missed | without;
    without = 0;
#endif
#ifndef BUG_OTHERS_NOT_TOLD
    peers[other].filter = peers[other].filter | (peers[other].stale -> 0 : COIN);
#endif
#ifndef BUG_FINDER_NOT_TOLD
    /* The finder's server has inserted the coin, unless a new filter is on its way to it. */
    if
    :: !peers[p].stale && LOADED_BEHIND(p) -> peers[p].filter = peers[p].filter | COIN
    :: else
    fi
#endif
}

/* CheckpointKeeper::on_served(). */
inline on_served(h, mark) {
#ifdef BUG_ANY_ANSWER_COVERS
    missed = missed & ~AT(h);
#else
    missed = missed & ~(mark -> AT(h) : 0);
#endif
    doubtful = doubtful & ~AT(h)
}

inline pop_front(p) {
    for (k : 1 .. WINDOW - 1) {
        peers[p].queue[k - 1].height = peers[p].queue[k].height;
        peers[p].queue[k - 1].filter = peers[p].queue[k].filter;
        peers[p].queue[k - 1].found = peers[p].queue[k].found;
        peers[p].queue[k - 1].loaded = peers[p].queue[k].loaded;
        peers[p].queue[k - 1].wanted = peers[p].queue[k].wanted
    }
    k = WINDOW - 1;
    peers[p].queue[k].height = 0; peers[p].queue[k].filter = 0; peers[p].queue[k].found = 0;
    peers[p].queue[k].loaded = false; peers[p].queue[k].wanted = false;
    k = 0
}

inline discard(p, h) {
    for (k : 0 .. WINDOW - 1) {
        if
        :: peers[p].queue[k].height == h -> give_up(p)
        :: else
        fi
    }
    k = 0
}

/* The peer's next answer arrives: BlockIntake::on_delivery(). */
inline deliver(p, other) {
    j = FRONT(p).height;
    peers[p].at_server = (FRONT(p).loaded -> FRONT(p).filter : (peers[p].at_server | FRONT(p).filter));
    if
    :: FRONT(p).wanted ->
        search(peers[p].at_server, j);
        on_served(j, FRONT(p).found);
        if
        :: inserted && !matched -> add_found(p, other, j)
        :: else
        fi;
        is_short = is_short && AT(j) != LOWEST_MISSING;
        held = held | AT(j);
        held_transactions = held_transactions | bits;
        pop_front(p);
        discard(other, j)
    :: else -> pop_front(p)
    fi;
    forget_unused_filter(p);
    bits = 0; inserted = false; j = 0
}

/* Drops the highest block that waits below j. It is requested again. */
inline drop_highest() {
    do
    :: j--;
        if
        :: held & AT(j) -> break
        :: else
        fi
    od;
#ifndef BUG_DROPPED_IS_HELD
    held = held & ~AT(j);
#ifndef BUG_DROPPED_NOT_REQUESTED
    again = again | AT(j);
#endif
#endif
    drop_transactions_above(j - 1);
    is_short = true
}

/* HeldBlocks::make_room(): drops any number of the waiting blocks, the highest first. */
inline make_room() {
    j = N + 1;
    do
    :: d_step { (WAITING & UP_TO(j - 1)) -> drop_highest() }
    :: break
    od;
    j = 0
}

/* The watcher applies the batch in order of height, up to the block that makes its list grow. */
inline apply_to_wallet() {
    j = 1;
    do
    :: j > N || grew -> break
    :: else ->
        if
        :: batch & AT(j) ->
            for (i : 0 .. TRANSACTIONS - 1) {
                if
                :: height_of[i] == j && (held_transactions & TX(i)) -> wallet = wallet | TX(i)
                :: else
                fi
            }
            if
            :: (wallet & TX(GROW)) && !wallet_grown -> wallet_grown = true; grew = true
            :: else
            fi
        :: else
        fi;
        j++
    od;
    i = 0
    /* If the list grew, j - 1 is the last block applied. */
}

/* Coverage::keep_only(): an outpoint of an applied block that the wallet does not list is a stranger's. */
inline forget_irrelevant() {
    if
#ifdef BUG_HELD_IS_IRRELEVANT
    :: !(wallet & TX(PAY)) -> missed = 0
#else
    :: !(wallet & TX(PAY)) && height_of[PAY] <= applied -> missed = 0
#endif
    :: else
    fi
}

/* Scan::apply() and CheckpointKeeper::apply(). */
inline apply() {
    /* HeldBlocks::take_ready() */
    batch = held & UP_TO(applied);
    order = applied;
    do
    :: held & AT(order + 1) -> order++; batch = batch | AT(order)
    :: else -> break
    od;
    apply_to_wallet();
#ifdef BUG_GAP_WITHOUT_REFETCH
    if
    :: grew -> grew = false; mark_all_stale(); apply_to_wallet()
    :: else
    fi;
#endif
    /* CheckpointKeeper::remember(): without the block j - 1 that made the list grow. */
    if
    :: (held_transactions & TX(SPEND)) && (batch & AT(height_of[SPEND])) &&
       (!grew || height_of[SPEND] < j - 1) -> missed = 0
    :: else
    fi;
    if
    :: grew ->
        applied = j - 2;
        drop_coverage_above(applied);
        drop_held_above(applied);
        restart_schedule(applied);
#ifndef BUG_OLD_REQUESTS_COUNT
        discard_above(applied);
#endif
#ifndef BUG_FILTERS_NOT_REPLACED
        mark_all_stale();
#endif
        j = 0
    :: else ->
        applied = order;
        store(0)
    fi;
    held = held & ~batch;
    for (i : 0 .. TRANSACTIONS - 1) {
        if
        :: batch & AT(height_of[i]) -> held_transactions = held_transactions & ~TX(i)
        :: else
        fi
    }
    i = 0; j = 0; batch = 0; order = 0; grew = false;
    forget_irrelevant()
}

/* CheckpointKeeper::roll_back_to(). */
inline roll_back_to(height, searched_again) {
    drop_coverage_above(height);
    if
    :: applied > height -> applied = height; store(searched_again)
    :: else
    fi
}

/* A new process reads the stored state: CheckpointKeeper's constructor, then Scan::align(). */
inline restart() {
    applied = disk_applied;
    missed = disk_missed; doubtful = disk_doubtful;
    matched = disk_matched;
    if
    :: disk_grown != wallet_grown -> applied = disk_covered; missed = 0; doubtful = 0
    :: else
    fi;
    held = 0; held_transactions = 0; is_short = false;
    connect(0); connect(1);
#ifdef REORG
    if
    :: reorganised && !disk_on_branch -> roll_back_to(fork, 0)
    :: else
    fi;
#endif
    undo_wallet_to(applied);
    next = applied + 1; again = 0
}

/* Any height from `from` to the tip, or none. */
inline choose(number, from) {
    height_of[number] = from;
    do
    :: height_of[number] < tip -> height_of[number]++
    :: break
    :: height_of[number] = 0; break
    od
}

inline choose_later(number, cause, above) {
    if
    :: height_of[cause] == 0 -> height_of[number] = 0
    :: height_of[cause] != 0 && (height_of[number] == 0 || height_of[number] > above) ->
        order = (height_of[cause] > above -> height_of[cause] : above + 1);
        choose(number, order);
        order = 0
    :: else
    fi
}

/* The second address is not paid before the first one was used. */
inline choose_history(above) {
    if
    :: !wallet_grown && (height_of[GROW] == 0 || height_of[GROW] > above) -> choose(GROW, above + 1)
    :: else
    fi;
    if
    :: wallet_grown && (height_of[PAY] == 0 || height_of[PAY] > above) -> choose(PAY, above + 1)
    :: else -> choose_later(PAY, GROW, above)
    fi;
    choose_later(SPEND, PAY, above)
}

#ifdef REORG
/* The headers of a longer branch arrive: BlockIntake::on_reorganised(), Scan::on_chain_moved(). */
inline reorganise() {
    fork = 0;
    do
    :: fork + 1 < tip -> fork++
    :: break
    od;
    discard_above(fork);
    drop_held_above(fork);
    undo_later = wallet;
    /* The old heights show which of the wallet's transactions are above the fork; these are undone below. */
    undo_wallet_to(fork);
    kept = wallet; wallet = undo_later; undo_later = 0;
    reorganised = true;
    tip = N;
    choose_history(fork);
    if
    :: skip -> /* the process ends before it has handled the reorganisation */
        wallet = kept; restart()
    :: skip ->
        roll_back_to(fork, held & UP_TO(applied));
        wallet = kept;
        restart_schedule(fork);
        mark_all_stale()
    fi;
    kept = 0
}
#endif

active proctype sync() {
#ifdef REORG
    byte undo_later, kept;
    tip = N - 1;
#else
    tip = N;
#endif
    atomic {
        if
        :: wallet_grown = true; disk_grown = true /* the list had grown already */
        :: skip
        fi;
        choose_history(0); restart()
    };
    do
    :: d_step { HAS_ROOM(0) && HAS_TASK -> take(0) }
    :: d_step { HAS_ROOM(1) && HAS_TASK -> take(1) }
    :: d_step { peers[0].queue[0].height == 0 && IN_FLIGHT(1) != 0 -> take_over(0, 1, 1) }
    :: d_step { peers[0].queue[0].height == 0 && IN_FLIGHT(1) != 0 -> take_over(0, 1, 2) }
    :: d_step { peers[1].queue[0].height == 0 && IN_FLIGHT(0) != 0 -> take_over(1, 0, 1) }
    :: d_step { peers[1].queue[0].height == 0 && IN_FLIGHT(0) != 0 -> take_over(1, 0, 2) }
    /* A block arrives, for which others may be dropped; or an answer that is no longer wanted. */
    :: atomic { d_step { FRONT(0).wanted -> deliver(0, 1) }; make_room() }
    :: atomic { d_step { FRONT(1).wanted -> deliver(1, 0) }; make_room() }
    :: d_step { FRONT(0).height != 0 && !FRONT(0).wanted -> deliver(0, 1) }
    :: d_step { FRONT(1).height != 0 && !FRONT(1).wanted -> deliver(1, 0) }
    :: d_step { READY -> apply() }
    /* A peer disconnects; the blocks that it owed are requested again, unless the other peer owes them too. */
    :: d_step { IS_IN_USE(0) -> again = again | (IN_FLIGHT(0) & ~IN_FLIGHT(1)); connect(0) }
    :: d_step { IS_IN_USE(1) -> again = again | (IN_FLIGHT(1) & ~IN_FLIGHT(0)); connect(1) }
    /* A filter saturates. */
    :: d_step { !peers[0].stale -> mark_stale(0) }
    :: d_step { !peers[1].stale -> mark_stale(1) }
    /* The process is killed. */
    :: atomic { applied > 0 || OPEN != 0 -> restart() }
#ifdef REORG
    :: atomic { !reorganised -> reorganise() }
#endif
    /* The sync has stalled: nothing is to be requested, applied or awaited. */
    :: d_step { !IS_COMPLETE && !CAN_CONTINUE -> assert(false) }
    :: atomic { IS_COMPLETE ->
#ifdef WITNESS
           assert(false);
#endif
           check_claim(tip); break }
    od
}
