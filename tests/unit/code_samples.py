"""A small file in each language with a grammar, and what is to be found in it."""

from typing import NamedTuple


class Sample(NamedTuple):
    """paths: of the nodes that have one, in order. tied: for a path, how its text begins."""

    text: str
    imports: str
    paths: list[str]
    tied: dict[str, str]


SCRIPTS = {
    "python": Sample(
        '''"""Pump control."""

import os
from math import floor, pi

LIMITS = {
    "high": 3,
}


# Opens and closes.
@register("pump")
class Pump(Base):
    """A pump — précis."""

    size: int = 3

    # Opens it.
    @property
    def open_valve(self):
        """Open."""
        if self.size:
            return 1
        return 2


async def bleed(
    valve: int,
) -> int:
    return valve
''',
        "imports os; math: floor, pi",
        ["LIMITS", "Pump", "Pump/open_valve", "bleed"],
        {"Pump": "# Opens and closes.\n@register", "Pump/open_valve": "# Opens it.\n    @property"},
    ),
    "javascript": Sample(
        """import { open, close } from './valve.js';
const fs = require('fs');

/** A pump. */
export class Pump extends Base {
  #rate = 1;

  // Opens it.
  async open(valve) {
    if (valve) {
      open();
    } else {
      close();
    }
  }
}

// Bleeds — é.
export const bleed = async (valve) => {
  return <b>{valve}</b>;
};
module.exports = {
  drain: function () {
    return 1;
  },
};
""",
        "imports ./valve.js: open, close; fs",
        ["Pump", "Pump/open", "bleed", "module.exports", "module.exports/drain"],
        {"Pump": "/** A pump. */\nexport", "Pump/open": "// Opens", "bleed": "// Bleeds — é.\nexp"},
    ),
    "typescript": Sample(
        """import type { Valve } from './valve';

// What opens.
export interface Opener {
  open(valve: Valve): void;
}

type Id = string | number;

export namespace Pumps {
  /** A pump. */
  @Injectable()
  export abstract class Pump<T> implements Opener {
    // Opens it.
    @Log()
    public async open(valve: Valve): Promise<void> {
      await this.turn(valve);
    }
  }
}
""",
        "imports ./valve: type Valve",
        ["Opener", "Id", "Pumps", "Pumps/Pump", "Pumps/Pump/open"],
        {"Opener": "// What opens.", "Pumps/Pump": "/** A", "Pumps/Pump/open": "// Opens it."},
    ),
    "tsx": Sample(
        """import { useState } from 'react';

// Shows a pump.
export function View({ pump }: Props) {
  const [open] = useState(false);
  return (
    <ul>
      {pump.valves.map((valve) => <li>{valve}</li>)}
    </ul>
  );
}
""",
        "imports react: useState",
        ["View"],
        {"View": "// Shows a pump."},
    ),
    "ruby": Sample(
        """require 'json'

module Quarry
  # A pump.
  class Pump < Base
    # Opens it.
    def open_valve(valve)
      turn(valve)
    rescue StandardError => e
      log(e)
    end

    def self.build
      new
    end
  end
end
""",
        "imports json",
        ["Quarry", "Quarry/Pump", "Quarry/Pump/open_valve", "Quarry/Pump/build"],
        {"Quarry/Pump": "# A pump.", "Quarry/Pump/open_valve": "# Opens it."},
    ),
    "php": Sample(
        """<?php
namespace Quarry;

use Quarry\\Valve;
require_once 'base.php';

/** A pump. */
#[Entity]
final class Pump extends Base
{
    /** Opens it. */
    public function open(int $valve): int
    {
        return $valve;
    }
}
?>
<p><?= $pump ?></p>
""",
        "imports Quarry\\Valve; base.php",
        ["Pump", "Pump/open"],
        {"Pump": "/** A pump. */", "Pump/open": "/** Opens it. */"},
    ),
    "bash": Sample(
        """#!/bin/bash
source ./lib.sh

# Opens it.
open_valve() {
  if [ "$1" ]; then
    cat <<EOF
open
EOF
  fi
}

open_valve "$@"
""",
        "imports ./lib.sh",
        ["open_valve"],
        {"open_valve": "# Opens it."},
    ),
    "sql": Sample(
        """-- Pumps.
create table pump (
    id bigint primary key,
    name text not null
);

/* The large ones. */
create view large_pump as
select id
from pump;

insert into pump values
    (1, 'a; b');
""",
        "",
        ["pump", "large_pump"],
        {"pump": "-- Pumps.", "large_pump": "/* The large ones. */"},
    ),
}
