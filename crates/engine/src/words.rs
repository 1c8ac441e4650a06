//! How numbers are written for people, everywhere in the project.

/// A count with its digits in groups of three.
pub fn grouped(count: u64) -> String {
    const GROUP: usize = 3;
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / GROUP);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(GROUP) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped() {
        for (count, text) in [(0, "0"), (999, "999"), (1000, "1 000"), (205_000_000, "205 000 000"), (12_345, "12 345")]
        {
            assert_eq!(grouped(count), text);
        }
    }
}
