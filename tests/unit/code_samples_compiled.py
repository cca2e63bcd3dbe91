"""More of `code_samples`: compiled languages."""

from unit.code_samples import SCRIPTS, Sample

COMPILED = {
    "java": Sample(
        """package quarry.pumps;

import java.util.List;
import static java.lang.Math.max;

/** A pump. */
@Entity
public class Pump extends Base {
    private int size;

    // Opens it.
    @Override
    public void open() {
        try {
            turn();
        } catch (IOException e) {
            log(e);
        }
    }

    enum State {
        OPEN, CLOSED;
    }
}
""",
        "imports java.util.List; static java.lang.Math.max",
        ["Pump", "Pump/open", "Pump/State"],
        {"Pump": "/** A pump. */\n@Entity", "Pump/open": "// Opens it."},
    ),
    "go": Sample(
        """package pump

import (
	"fmt"
	str "strings"
)

// Pump is a pump.
type Pump struct {
	Size int
}

// Open opens it.
func (p *Pump) Open(valve int) error {
	if valve > 0 {
		fmt.Println(valve)
	}
	return nil
}

func New(size int) *Pump {
	return &Pump{Size: size}
}
""",
        "imports fmt; str strings",
        ["Pump", "Pump/Open", "New"],
        {"Pump": "// Pump is", "Pump/Open": "// Open opens"},
    ),
    "rust": Sample(
        """//! Pumps.
use std::{fmt, io};

/// A pump.
#[derive(Debug)]
pub struct Pump<T> {
    size: T,
}

impl<T> Valve for Pump<T> {
    /// Turns it.
    #[inline]
    fn turn(&self) -> u32 {
        match self.size {
            0 => 1,
            _ => 2,
        }
    }
}

mod tests {
    fn works() {}
}
""",
        "imports std::{fmt, io}",
        ["Pump", "Pump as Valve", "Pump as Valve/turn", "tests", "tests/works"],
        {"Pump": "/// A pump.\n#[derive", "Pump as Valve/turn": "/// Turns it.\n    #[inline]"},
    ),
    "c": Sample(
        """#include <stdio.h>
#include "pump.h"

/* A pump. */
struct pump {
    int size;
};

typedef struct {
    int turns;
} valve_t;

// Opens it.
static int *pump_open(struct pump *p, int valve)
{
#ifdef DEBUG
    puts("open");
#endif
    return p->size;
}
""",
        "imports stdio.h; pump.h",
        ["pump", "valve_t", "pump_open"],
        {"pump": "/* A pump. */", "pump_open": "// Opens it."},
    ),
    "c++": Sample(
        """#include <vector>

namespace quarry {

/// A pump.
template <typename T>
class Pump : public Base {
 public:
  explicit Pump(T size) : size_(size) {}

  // Opens it.
  void open(int valve) const override {
    turn(valve);
  }
};

void Valve::turn() {
  go();
}

}  // namespace quarry
""",
        "imports vector",
        [
            *("quarry", "quarry/Pump", "quarry/Pump/Pump", "quarry/Pump/open"),
            "quarry/Valve/turn",
        ],
        {"quarry/Pump": "/// A pump.\ntemplate", "quarry/Pump/open": "// Opens it."},
    ),
    "c#": Sample(
        """using System;

namespace Quarry.Pumps
{
    /// <summary>A pump.</summary>
    [Serializable]
    public class Pump : Base
    {
        public int Size { get; set; }

        // Opens it.
        [Obsolete]
        public int Open(int valve)
        {
            return valve;
        }
    }
}
""",
        "imports System",
        ["Quarry.Pumps", "Quarry.Pumps/Pump", "Quarry.Pumps/Pump/Size", "Quarry.Pumps/Pump/Open"],
        {"Quarry.Pumps/Pump": "/// <summary>", "Quarry.Pumps/Pump/Open": "// Opens it."},
    ),
}
SAMPLES = SCRIPTS | COMPILED
